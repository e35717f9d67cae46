-- With SEAL_MESSAGES, the body of a callback with the text of a message is sealed here; `body` is then the same without the text.
ALTER TABLE callback ADD COLUMN sealed_body bytea;
