-- Where a page of a query ends that is sorted by a column.
ALTER TABLE contact_scroll_page ADD COLUMN last_key text;
