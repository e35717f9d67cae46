-- The code of the data bundle that was submitted. Airtime workers that do not know bundles do not write it, so they cannot
-- submit a bundle as airtime.
ALTER TABLE airtime_purchase ADD COLUMN product_code varchar(128);

UPDATE airtime_purchase AS purchase SET product_code = product.code
FROM airtime_product AS product
WHERE product.id = purchase.product_id AND purchase.state = 'submitting' AND purchase.next_attempt_at IS NOT NULL;

-- Not validated: all other rows are sure to meet it.
ALTER TABLE airtime_purchase ADD CONSTRAINT airtime_purchase_product_check
  CHECK (product_id IS NULL OR state <> 'submitting' OR product_code IS NOT NULL) NOT VALID;
