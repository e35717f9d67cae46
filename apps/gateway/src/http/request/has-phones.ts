import { ExtendRouteConfig } from '../routes/access.js';

/** Counts the phone numbers in a body that was not validated yet. */
type CountPhones = (body: object) => number;

/** The requests of the route may have many phone numbers: they take more tokens of the rate limit. */
export const HasPhones = (countPhones: CountPhones): MethodDecorator => ExtendRouteConfig({ countPhones });

export const declaredPhones = (routeConfig: unknown): CountPhones | undefined =>
  (routeConfig as { readonly countPhones?: CountPhones } | undefined)?.countPhones;
