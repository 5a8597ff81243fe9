import { showCustomer } from './customer.ts';
import { showShop } from './shop.ts';
import './base.css';
import './style.css';

if (location.pathname === '/staff') showShop();
else showCustomer();
