export { deliveriesDue, otpDeliveryDue, otpDeliveryEnded } from './delivery.contract.js';
export {
  DeliveriesDue,
  type DeliveryText,
  type FailedDeliveryStatus,
  failedDeliveryStatuses,
  mostDeliveriesPerChunk,
  OtpDeliveryEnded,
} from './delivery.dto.js';
