import { Matches } from 'class-validator';

/** For what need not be there, but says something if it is. */
export const NotBlank = (): PropertyDecorator => Matches(/\S/, { message: '$property must not be blank' });
