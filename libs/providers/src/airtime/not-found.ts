/**
 * By kind: a purchase that a provider does not know this long after its submission was never received. Before that it
 * may be stored, or listed, late. Africa's Talking cannot be asked by our reference and says nothing about its
 * statements.
 */
export const notFoundAfterMs: Readonly<Record<string, number>> & {
  readonly vtpass: number;
  readonly reloadly: number;
} = {
  vtpass: 180_000,
  reloadly: 600_000,
  africastalking: 86_400_000,
};
