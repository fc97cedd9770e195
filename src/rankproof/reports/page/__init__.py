"""The HTML page: one file per group of sections; `page.css` and `page.js` go into the page as they are."""
