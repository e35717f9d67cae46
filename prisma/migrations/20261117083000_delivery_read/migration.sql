-- WhatsApp reports when a message is read. Its rank is that of a delivered one.
ALTER TYPE delivery_state ADD VALUE IF NOT EXISTS 'read' AFTER 'delivered';
