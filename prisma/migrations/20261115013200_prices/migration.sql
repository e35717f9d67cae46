-- A number without a price cannot be sent to: the empty prefix matches every one. Operators set their own.
INSERT INTO price (service, prefix, kobo) VALUES ('sms', '', 400), ('whatsapp', '', 500), ('lookup', '', 0);
