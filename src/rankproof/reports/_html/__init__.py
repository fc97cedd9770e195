"""The HTML page: one file per part of it; `page.css` and `page.js` go into the page as they are."""
