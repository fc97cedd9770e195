"""The compiled core: text, dicts or Arrow in; rows and judged tables out. See core/*.hpp for each part."""
