module example.com/griot/client

go 1.24.0
