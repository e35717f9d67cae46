import { describe, expect, it, jest } from '@jest/globals';
import { getMetadataStorage, IsInt, IsNumber, IsOptional, IsString } from 'class-validator';
import { parseQueryNumbers } from './rules.js';

class Wish {
  @IsOptional() @IsInt() limit?: number;
  @IsOptional() @IsNumber() price?: number;
  @IsOptional() @IsString() text?: string;
}

describe('a query', () => {
  it('has numbers where the DTO declares them, and other values unchanged', () => {
    const query = { limit: '5', price: '-1.50', text: '7', other: '8' };
    expect(parseQueryNumbers(Wish, query)).toEqual({ limit: 5, price: -1.5, text: '7', other: '8' });
  });

  it.each(['', ' 5', '5 ', '0x5', '5e1', '1_000', '+5', 'NaN', 'Infinity', '9'.repeat(16), ['5', '6']])(
    'does not read %j as a number',
    (limit) => {
      expect(parseQueryNumbers(Wish, { limit })).toEqual({ limit });
    },
  );

  it('inspects its DTO only once', () => {
    class Other {
      @IsInt() limit: number;
    }
    const looks = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
    for (const limit of ['1', '2', '3'])
      expect(parseQueryNumbers(Other, { limit })).toEqual({ limit: Number(limit) });
    expect(looks).toHaveBeenCalledTimes(1);
    looks.mockRestore();
  });
});
