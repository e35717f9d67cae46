-- `needs_approval` compares logins by `is_same_principal`, which no index serves.
DROP INDEX unapproved_amount_login_created_at_idx;
