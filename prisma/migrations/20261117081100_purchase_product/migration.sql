-- The data bundle that was bought; NULL for airtime. Not validated: no row has one yet.
ALTER TABLE airtime_purchase
  ADD COLUMN product_id uuid,
  ADD CONSTRAINT airtime_purchase_product_id_fkey FOREIGN KEY (product_id) REFERENCES airtime_product (id)
    ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;
