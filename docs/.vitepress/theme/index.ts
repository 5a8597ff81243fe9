import DefaultTheme from 'vitepress/theme-without-fonts';
import './tokens.css';
import './theme.css';

export default DefaultTheme;
