import { toNaira } from '@gangan/billing';
import {
  type AirtimeProduct,
  type AirtimeProductPage,
  defaultPageSize,
  type ListAirtimeProductsRequest,
} from '@gangan/contracts';
import { OrganisationModes, readPage } from '@gangan/database';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { AirtimeProviders } from '../providers/airtime-providers.js';
import { readBundleText } from './bundle-text.js';
import { type Product, ProductsRepository } from './products.repository.js';

const resource = '/airtime/products';

@Injectable()
export class ProductsService {
  constructor(
    private readonly repository: ProductsRepository,
    private readonly providers: AirtimeProviders,
    private readonly modes: OrganisationModes,
  ) {}

  /** Lists only products of providers to which the routes of the organisation lead. */
  async list(
    { network, limit = defaultPageSize, after }: ListAirtimeProductsRequest,
    context: RequestContext,
  ): Promise<AirtimeProductPage> {
    const organisationId = requireOrganisationId(context);
    const mode = await this.modes.of(organisationId);
    const sellers = this.providers
      .sellersFor({ organisationId, mode })
      .filter((seller) => network === undefined || seller.network === network);
    const { rows, pagination } = await readPage(limit, (size) =>
      this.repository.list(sellers, after?.toLowerCase(), size),
    );
    return { products: rows.map(toResponse), meta: { method: 'GET', resource, pagination } };
  }
}

const toResponse = ({ id, network, name, kobo }: Product): AirtimeProduct => ({
  id,
  network,
  name,
  ...readBundleText(name),
  price: toNaira(kobo),
});
