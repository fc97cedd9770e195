"""Click logs to impressions, click models fitted and compared, examination curves, grades and qrels."""
