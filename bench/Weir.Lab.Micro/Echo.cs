namespace Weir.Lab.Micro;

/// <summary>A small object.</summary>
public sealed record Echo(int Id, string Name, double Value);
