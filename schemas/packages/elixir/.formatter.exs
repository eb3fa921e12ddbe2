[inputs: ["{mix,.formatter}.exs", "{lib,test,proof,use}/**/*.{ex,exs}"]]
