-- The route that led to the provider; NULL if none is known. No foreign key: routes are removed, attempts stay.
ALTER TABLE delivery_attempt ADD COLUMN route_id uuid;
