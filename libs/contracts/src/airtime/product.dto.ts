import { Max, Min } from 'class-validator';
import { defaultPageSize, PageMeta } from '../pagination.dto.js';
import {
  EnumField,
  IdField,
  ListField,
  NumberField,
  ObjectField,
  OptionalEnumField,
  OptionalIdField,
  OptionalIntegerField,
  OptionalTextField,
  TextField,
} from '../schema/fields.js';
import { type Network, networks } from './airtime-bounds.js';

export class ListAirtimeProductsRequest {
  @OptionalEnumField(networks, 'Return only products of this network', 'MTN')
  network?: Network;

  @OptionalIntegerField(`Maximum number of items on the page. Default: ${defaultPageSize}`, 20)
  @Min(1)
  @Max(100)
  limit?: number;

  @OptionalIdField('Return only the products after this one: `meta.pagination.next` of the previous page')
  after?: string;
}

export class AirtimeProduct {
  @IdField('Id of the product: the `product_id` of a purchase. A new price has a new id')
  id: string;

  @EnumField(networks, 'Network of the product', 'MTN')
  network: Network;

  @TextField('Name, as the provider wrote it', 'N1000 1.5GB - 30 days')
  name: string;

  @OptionalTextField('Data volume, if the name has one', '1.5GB')
  size?: string;

  @OptionalTextField('How long it can be used, if the name says it', '30 days')
  validity?: string;

  @NumberField('Price in naira', 1000)
  price: number;
}

export class AirtimeProductPage {
  @ListField(AirtimeProduct, 'Products by network and price')
  products: AirtimeProduct[];

  @ObjectField(PageMeta, 'Request and pagination')
  meta: PageMeta;
}
