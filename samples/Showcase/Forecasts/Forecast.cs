namespace Showcase;

public sealed record Forecast(DateOnly Date, int TemperatureC, string Summary);
