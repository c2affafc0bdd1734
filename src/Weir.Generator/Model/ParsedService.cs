namespace Weir.Generator.Model;

/// <summary>The parse result of one marked class.</summary>
/// <param name="Service">The service; <c>null</c> where the class cannot be served.</param>
/// <param name="Types">The types it exchanges.</param>
/// <param name="Diagnostics">Its errors.</param>
internal sealed record ParsedService(ServiceModel? Service, EquatableArray<TypeModel> Types, EquatableArray<DiagnosticModel> Diagnostics);
