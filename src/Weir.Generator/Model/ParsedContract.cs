namespace Weir.Generator.Model;

/// <summary>The parse result of one interface marked <c>[Service]</c>.</summary>
/// <param name="Diagnostics">The errors of the interface.</param>
/// <param name="Foreign">Its service if workers in another language serve it, with the errors of that; <c>null</c> if a class serves it.</param>
/// <param name="Text">What callers see of it; <c>null</c> where it cannot be a contract, or is not served over HTTP.</param>
internal sealed record ParsedContract(EquatableArray<DiagnosticModel> Diagnostics, ParsedService? Foreign, ContractModel? Text);
