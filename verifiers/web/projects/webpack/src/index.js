import "../show.js";
