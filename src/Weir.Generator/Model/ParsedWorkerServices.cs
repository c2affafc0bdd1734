namespace Weir.Generator.Model;

/// <summary>The parse result of one method marked <c>[WorkerServices]</c>.</summary>
/// <param name="Method">The method; <c>null</c> where it has the wrong shape.</param>
/// <param name="Type">Its type, for finding it again.</param>
/// <param name="Name">Its name.</param>
/// <param name="Diagnostics">Its errors.</param>
internal sealed record ParsedWorkerServices(WorkerServicesModel? Method, string Type, string Name, EquatableArray<DiagnosticModel> Diagnostics);
