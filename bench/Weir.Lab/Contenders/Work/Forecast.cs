namespace Weir.Lab.Contenders.Work;

/// <summary>The item of document 000, with the moment it was made: clock stamps compare between processes.</summary>
public sealed record Forecast(DateOnly Date, int TemperatureC, string Summary, long At);
