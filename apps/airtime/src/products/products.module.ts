import { Module } from '@nestjs/common';
import { ProvidersModule } from '../providers/providers.module.js';
import { ProductSync } from './product-sync.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

@Module({
  imports: [ProvidersModule],
  providers: [ProductsService, ProductsRepository, ProductSync],
  exports: [ProductsService, ProductsRepository],
})
export class ProductsModule {}
