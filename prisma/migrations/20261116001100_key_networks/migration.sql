-- The networks from which a key may be used, as CIDR blocks. An empty list allows every address.
ALTER TABLE "api_key" ADD COLUMN "allowed_networks" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "api_key" ALTER COLUMN "allowed_networks" SET NOT NULL;
