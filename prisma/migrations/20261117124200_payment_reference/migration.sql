-- What the operator calls a payment, such as the number of an invoice. The id of a payment is derived from it.
CREATE TABLE payment_reference (
  subject_id uuid PRIMARY KEY,
  reference varchar(255) NOT NULL
);
