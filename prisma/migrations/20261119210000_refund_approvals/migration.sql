-- Refunds of deliveries without an answer can need an approval, too.
ALTER TABLE approval
  DROP CONSTRAINT approval_action_check,
  ADD CONSTRAINT approval_action_check CHECK (
    action IN ('top_up', 'adjustment', 'price', 'limits', 'resolution', 'refund', 'approval_limit'));
