"""Clicks: logs of pages to impressions, click models fitted and compared, and what users look at."""
