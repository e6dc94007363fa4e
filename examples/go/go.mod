module boutique

go 1.24.0

require example.com/griot/client v0.0.0

replace example.com/griot/client => ../../client
