import { toKobo } from '@gangan/billing';
import { CallbackQuota } from '@gangan/callbacks';
import {
  airtimeDue,
  type AirtimePage,
  type AirtimePurchase,
  type BuyAirtimeRequest,
  defaultPageSize,
  type ListAirtimeRequest,
  type Network,
  idRangeOf,
  parseNigerianPhone,
  purchaseEvents,
  type RecordId,
} from '@gangan/contracts';
import { OrganisationModes, readPage } from '@gangan/database';
import { Announcer } from '@gangan/leases';
import { type AppError, isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { AirtimeConfig } from './airtime.config.js';
import {
  invalidAmount,
  invalidRecipient,
  noAirtimeRoute,
  purchaseNotFound,
  unknownProduct,
  wrongNetwork,
} from './airtime.errors.js';
import { AirtimeRepository, type NewPurchase } from './airtime.repository.js';
import { type Product, ProductsRepository } from './products/products.repository.js';
import { AirtimeProviders } from './providers/airtime-providers.js';
import { toResponse } from './purchase.js';
import type { PurchaseQuery } from './purchase-filters.js';

@Injectable()
export class AirtimeService {
  constructor(
    private readonly repository: AirtimeRepository,
    private readonly products: ProductsRepository,
    private readonly providers: AirtimeProviders,
    private readonly modes: OrganisationModes,
    private readonly announcer: Announcer,
    private readonly config: AirtimeConfig,
    private readonly callbackQuota: CallbackQuota,
  ) {}

  /** Responds with the purchase as it was placed, even if the queue runs the request again later. */
  async buy(request: BuyAirtimeRequest, context: RequestContext): Promise<AirtimePurchase> {
    const productId = request.product_id?.toLowerCase() ?? '';
    const product = isId(productId) ? await this.products.find(productId) : undefined;
    const purchase = newPurchase(request, product, context, this.config.DEFAULT_REGION);
    const refusal = await this.findRefusal(purchase, product);
    const placed = refusal ? await this.repository.find(purchase) : await this.place(purchase);
    if (!placed) throw refusal ?? new Error(`Purchase ${purchase.id} was not placed`);
    void this.announcer.announce(airtimeDue, [{ id: purchase.id }], ({ id }) => ({ jobId: `${id}-0` }));
    return toResponse({ ...purchase, balanceBefore: placed.balanceBefore }, 'POST', '/airtime/buy');
  }

  async find({ id }: RecordId, context: RequestContext): Promise<AirtimePurchase> {
    const found =
      isId(id) && (await this.repository.find({ id, organisationId: requireOrganisationId(context) }));
    if (!found) throw purchaseNotFound();
    return toResponse(found, 'GET', `/airtime/${found.id}`);
  }

  async list(request: ListAirtimeRequest, context: RequestContext): Promise<AirtimePage> {
    const { limit = defaultPageSize } = request;
    const query = queryOf(request, requireOrganisationId(context), this.config.DEFAULT_REGION);
    const lastRead = await this.repository.findLastCompared(query);
    const compared = { ...query, from: lastRead ?? query.from };
    const { rows, pagination } = await readPage(
      limit,
      (size) => this.repository.list(compared, size),
      lastRead,
    );
    return {
      purchases: rows.map((row) => toResponse(row, 'GET', '/airtime')),
      meta: { method: 'GET', resource: '/airtime', pagination },
    };
  }

  /** Why the purchase cannot be placed now. */
  private async findRefusal(
    { organisationId, network }: NewPurchase,
    product: Product | undefined,
  ): Promise<AppError | undefined> {
    const mode = await this.modes.of(organisationId);
    const isServed = (of: Network): boolean =>
      this.providers.isServed({ organisationId, mode, network: of, product });
    if (!product) return isServed(network) ? undefined : noAirtimeRoute();
    if (!product.sold || !isServed(product.network)) return unknownProduct();
    return product.network === network ? undefined : wrongNetwork(product.network);
  }

  /** A purchase that an earlier run has placed is returned, even if a limit is reached since. */
  private async place(purchase: NewPurchase): Promise<{ balanceBefore: bigint }> {
    try {
      await this.callbackQuota.check(purchase.organisationId, purchaseEvents, purchase.callbackUrl);
    } catch (error) {
      const earlier = await this.repository.find(purchase);
      if (!earlier) throw error;
      return earlier;
    }
    return this.repository.place(purchase);
  }
}

function queryOf(request: ListAirtimeRequest, organisationId: string, region: string): PurchaseQuery {
  const { status, recipient, external_ref: externalRef, network } = request;
  return {
    organisationId,
    ...idRangeOf(request),
    status,
    // The gateway has checked the number.
    recipient:
      recipient === undefined ? undefined : (parseNigerianPhone(recipient, region)?.e164 ?? recipient),
    externalRef,
    network,
  };
}

/** @throws AppError 400 */
function newPurchase(
  request: BuyAirtimeRequest,
  product: Product | undefined,
  context: RequestContext,
  region: string,
): NewPurchase {
  const phone = parseNigerianPhone(request.recipient, region);
  if (!phone) throw invalidRecipient(request.recipient);
  if (request.product_id !== undefined && !product) throw unknownProduct();
  const kobo = product ? product.kobo : toKobo(request.amount ?? 0);
  if (kobo === undefined || kobo <= 0n) throw invalidAmount();
  return {
    id: context.operationId,
    organisationId: requireOrganisationId(context),
    requestId: context.requestId,
    network: request.network,
    recipient: phone.e164,
    recipientGiven: request.recipient,
    kobo,
    state: 'pending',
    refunded: false,
    attempt: 0,
    provider: null,
    resolution: null,
    productId: product?.id ?? null,
    externalRef: request.external_ref ?? null,
    callbackUrl: request.callback ?? null,
    errorCode: null,
    errorMessage: null,
    createdAt: timeOfId(context.operationId),
    updatedAt: null,
  };
}
