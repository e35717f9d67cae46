-- Of a message that was canceled before its list was read.
ALTER TYPE expansion_state ADD VALUE IF NOT EXISTS 'canceled';
