using Microsoft.CodeAnalysis;

namespace Weir.Generator.Diagnostics;

/// <summary>Every build error and warning of Weir: its message, and the page that explains it.</summary>
internal static class Descriptors
{
    // Absolute: editors open the link as it is.
    private const string Pages = "https://github.com/weir-dotnet/weir/blob/main/docs/diagnostics/";

    private static readonly Dictionary<string, DiagnosticDescriptor> All = new[]
    {
        Error(
            WeirCodes.ParameterType,
            "A parameter cannot be bound",
            "{0}: the parameter '{1}' cannot be bound: {2}"),
        Error(
            WeirCodes.ResultType,
            "A result cannot be written",
            "{0}: the result cannot be written: {1}"),
        Error(
            WeirCodes.UnmarkedSequence,
            "A blocking sequence is not marked [Stream]",
            "{0} returns {1}, which blocks its thread while it is enumerated: {2}"),
        Error(
            WeirCodes.SynchronousContract,
            "A service interface has a synchronous method",
            "{0} returns {1} and would block the thread of its caller, because the class may run in another process: return {2}"),
        Error(
            WeirCodes.DuplicateOperation,
            "Two operations have the same name",
            "{0} has two operations named '{1}' (case is ignored): rename one with [Operation(\"…\")], or hide it with [IgnoreOperation]"),
        Error(
            WeirCodes.DuplicateService,
            "Two services have the same name",
            "{0} and {1} are both the service '{2}' (case is ignored): rename one with [Service(\"…\")]"),
        Error(
            WeirCodes.DuplicateImplementation,
            "Two classes serve one interface",
            "{0} and {1} both serve {2}: remove [Service], [Isolated] or [Blocking] from one; a class without them is not served, and an interface marked [Isolated] is served by workers in another language"),
        Error(
            WeirCodes.AttributePlacement,
            "An attribute is on the wrong side of the contract",
            "{0} has no meaning here: put it on {1}"),
        Error(
            WeirCodes.WorkerServicesMissing,
            "An isolated class needs services, and no method creates them",
            "{0} runs in a worker and needs {1}: write 'internal static void Configure(IServiceCollection services, WorkerStartup startup)' marked [WorkerServices] in this assembly{2}"),
        Error(
            WeirCodes.ServiceShape,
            "A type cannot be served",
            "{0} cannot be served: {1}"),
        Error(
            WeirCodes.BlockingShape,
            "[Blocking] or [Stream] does not fit the method",
            "{0}: {1}"),
        Error(
            WeirCodes.WorkerServicesShape,
            "A [WorkerServices] method has the wrong signature",
            "{0} cannot register a worker's services: {1}; write one 'internal static void Configure(IServiceCollection services, WorkerStartup startup)', or one 'internal static IServiceProvider Create(WorkerStartup startup)' that builds them itself"),
        Error(
            WeirCodes.InvalidName,
            "A name is not valid in a path",
            "'{0}' cannot be the name of {1}: a name may contain only letters, digits, '_' and '-'; choose another name with {2}"),
        Error(
            WeirCodes.ContractMismatch,
            "A class has no method for an operation of its contract",
            "{0} serves {1} but has no method for one of its operations: add 'public {2}'"),
        Error(
            WeirCodes.ThrowsShape,
            "A declared exception cannot be re-created",
            "{0}: [Throws] cannot declare {1}: {2}"),
        Error(
            WeirCodes.PolicyNotCarried,
            "A policy cannot be copied to the endpoint",
            "{0}: {1} cannot be copied to the endpoint, which would be open without it: {2}"),
        Error(
            WeirCodes.UnsupportedAttribute,
            "An attribute of ASP.NET Core has no effect",
            "{0}: {1} has no effect: {2}"),
        Error(
            WeirCodes.AnonymousOverridesPolicy,
            "[AllowAnonymous] overrides [Authorize]",
            "{0}: {1} on {2} would have no effect, because {3} on {4} is not nearer to the operation and allows every caller: remove one of them, or move {3} to the method of the class"),
        Warning(
            WeirCodes.AttributeNotCarried,
            "An attribute is not copied to the endpoint",
            "{0}: {1} is not in the endpoint's metadata: {2}"),
        Error(
            WeirCodes.ValidationNotSupported,
            "A validation attribute cannot be evaluated",
            "{0}: {1} cannot be evaluated: {2}"),
        Warning(
            WeirCodes.PolicyNotServed,
            "A policy is on a type or method that is not served",
            "{0} is not served, so {1} has no effect there: move it to the method or the class that is served, or remove it"),
        Error(
            WeirCodes.AddWeirInLibrary,
            "AddWeir is called in a library",
            "{0} is a library, and AddWeir exists only in an application, because it registers the services of the application and of everything that it references: call builder.Services.AddWeir() in the application's Program.cs, set options here by services.Configure<WeirOptions>(…), or set <WeirApplication>true</WeirApplication> in this project if it is the application itself"),
        Error(
            WeirCodes.RouteTemplate,
            "A route cannot be used",
            "{0}: the route '{1}' cannot be used: {2}"),
        Error(
            WeirCodes.AsyncVoid,
            "An operation is async void",
            "{0} is async void: its call would complete before the method does, and an exception in it would end the process; return Task"),
        Error(
            WeirCodes.HostOnly,
            "An isolated operation takes or returns what exists only in the host",
            "{0} runs in a worker, and {1} exists only in the host: {2}"),
        Error(
            WeirCodes.WorkerEntryPointMissing,
            "An application that must be its own worker does not call WeirWorker.TryRun",
            "{0} has isolated operations, and {1} is set: a worker is then this executable, started again. Make 'if (WeirWorker.TryRun(args)) return;' the first line of the program, with 'using Weir;'; or, where isolated operations run inline, set the property WeirStartsWorkers to false."),
        Error(
            WeirCodes.WorkerJsonMissing,
            "An isolated operation needs [assembly: WeirJson]",
            "{0} runs in a worker and exchanges a type that only System.Text.Json reads and writes: in this assembly write '[assembly: Weir.WeirJson(typeof(WorkerJson))]', and the class '{1} internal sealed partial class WorkerJson : JsonSerializerContext;' with 'using System.Text.Json.Serialization;'"),
        Error(
            WeirCodes.JsonContextShape,
            "[assembly: WeirJson] does not name a JsonSerializerContext",
            "[assembly: WeirJson] names {0}, {1}"),
        Warning(
            WeirCodes.UnmarkedBlocking,
            "An operation blocks its caller's thread",
            "{0} runs on its caller's thread and calls {1}, which blocks it: {2}"),
        Warning(
            WeirCodes.StaticMethodNotServed,
            "A static method is not served",
            "{0} is static, so it is not an operation: remove 'static' to serve it, or mark it [IgnoreOperation] to say that it is not served"),
        new(
            WeirCodes.ContractNotServed,
            "A class implements a contract and is not served",
            "{0} implements the contract {1} and is not marked, so nothing serves it: mark the class [Service]; where it is not meant to be served, [SuppressMessage(\"Weir\", \"WEIR1056\")]",
            "Weir", DiagnosticSeverity.Warning, isEnabledByDefault: true, helpLinkUri: $"{Pages}{WeirCodes.ContractNotServed}.md", customTags: [WellKnownDiagnosticTags.CompilationEnd]),
        Warning(
            WeirCodes.TextNotWritten,
            "The type of a parameter parses its text and does not write it",
            "{0}: the type of '{1}' parses its own text and does not write it, so no call from code and no C# client can send it: override ToString in {2} so that it returns what TryParse reads, or implement IFormattable"),
        Error(
            WeirCodes.ResumableShape,
            "[Resumable] does not fit the operation",
            "{0} cannot be resumed: {1}"),
        Error(
            WeirCodes.JobShape,
            "[Job] does not fit the operation",
            "{0} cannot be a job: {1}"),
        Error(
            WeirCodes.ClientMissing,
            "There is no client of a type",
            "There is no client of {0}: {1}"),
        Error(
            WeirCodes.ContractBroken,
            "A change breaks callers of the accepted contract",
            "{0}: {1}. Callers that were built with weir.contract.json would fail: undo the change, or accept it by 'weir contract accept'"),
    }.ToDictionary(static one => one.Id);

    /// <summary>The descriptor of a number.</summary>
    public static DiagnosticDescriptor Of(string code) => All[code];

    private static DiagnosticDescriptor Error(string code, string title, string message) => Create(code, title, message, DiagnosticSeverity.Error);

    private static DiagnosticDescriptor Warning(string code, string title, string message) => Create(code, title, message, DiagnosticSeverity.Warning);

    private static DiagnosticDescriptor Create(string code, string title, string message, DiagnosticSeverity severity) =>
        new(code, title, message, "Weir", severity, isEnabledByDefault: true, helpLinkUri: $"{Pages}{code}.md");
}
