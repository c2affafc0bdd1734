namespace Weir;

/// <summary>How far a job is, as the operation reported it.</summary>
/// <param name="Fraction">0 to 1.</param>
/// <param name="Text">What it does; <c>null</c> where it did not say. At most 200 characters are kept.</param>
public readonly record struct JobProgress(double Fraction, string? Text);
