namespace Weir.Generator.Model;

/// <summary>What became of one interface marked <c>[Service]</c>.</summary>
/// <param name="Diagnostics">What is wrong with the interface.</param>
/// <param name="Foreign">Its service if workers in another language serve it, with what is wrong with that; <c>null</c> if a class serves it.</param>
internal sealed record ParsedContract(EquatableArray<DiagnosticModel> Diagnostics, ParsedService? Foreign);
