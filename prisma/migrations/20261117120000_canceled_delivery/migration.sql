-- A delivery that was canceled before a provider got it.
ALTER TYPE delivery_state ADD VALUE IF NOT EXISTS 'canceled';
