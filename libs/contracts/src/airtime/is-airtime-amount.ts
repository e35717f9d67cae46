import { IsNumber, ValidateBy, type ValidationArguments } from 'class-validator';
import { type AirtimeBounds, airtimeBoundsOf, widestAirtimeBounds } from './airtime-bounds.js';

const wholeKobo = /^\d+(?:\.\d{1,2})?$/;

const boundsFor = (args: ValidationArguments | undefined): AirtimeBounds =>
  airtimeBoundsOf((args?.object as { readonly network?: unknown } | undefined)?.network);

const isEnough = ValidateBy({
  name: 'min',
  constraints: widestAirtimeBounds.least,
  validator: {
    validate: (value: unknown, args) => typeof value === 'number' && value >= boundsFor(args).least,
    defaultMessage: (args) => `$property must be at least ${boundsFor(args).least} naira`,
  },
});

const isNotTooMuch = ValidateBy({
  name: 'max',
  constraints: widestAirtimeBounds.most,
  validator: {
    validate: (value: unknown, args) => typeof value === 'number' && value <= boundsFor(args).most,
    defaultMessage: (args) => `$property must be at most ${boundsFor(args).most} naira`,
  },
});

const isWholeKobo = ValidateBy({
  name: 'isNaira',
  validator: {
    validate: (value: unknown) => typeof value === 'number' && wholeKobo.test(String(value)),
    defaultMessage: () => '$property must be naira with at most two decimals, such as 100 or 99.5',
  },
});

/** Naira of airtime, to the kobo, within what the network beside it in the object takes. */
export const IsAirtimeAmount = (): PropertyDecorator => (target, property) => {
  for (const rule of [IsNumber({ allowInfinity: true }), isEnough, isNotTooMuch, isWholeKobo])
    rule(target, property);
};
