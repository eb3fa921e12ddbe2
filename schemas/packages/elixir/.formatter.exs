[inputs: ["{mix,.formatter}.exs", "{lib,test,proof}/**/*.{ex,exs}"]]
