using Weir.Cli.Contracts;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>Writes the class of one service: a method for each operation.</summary>
/// <param name="code">Where it is written.</param>
/// <param name="types">The types of the file.</param>
/// <param name="service">The service.</param>
/// <param name="className">The name of the class.</param>
/// <param name="jobs">The class of its jobs; <c>null</c> where none of its calls can be one.</param>
internal sealed class TypeScriptService(TypeScriptText code, TypeScriptTypes types, ServiceContract service, string className, TypeScriptJobs? jobs)
{
    private const string Jobs = "jobs";

    // What a class has already.
    private readonly HashSet<string> _methods = new([.. TypeScriptOperation.OfEveryClass, .. jobs is null ? [] : new[] { Jobs }], StringComparer.Ordinal);

    /// <summary>Writes it.</summary>
    public void Write()
    {
        code.Comment(service.Summary ?? $"The service {service.Name}.");
        code.Block($"export class {className}", () =>
        {
            code.Line("readonly #connection: WeirConnection;");
            if (jobs is not null)
            {
                code.Comment("Submits calls as jobs, which the service stores and runs without their caller.");
                code.Line($"readonly {Jobs}: {jobs.ClassName};");
            }

            code.Line();
            code.Block($"constructor(connection: WeirConnection{(jobs is null ? "" : $", {Jobs}: JobConnection")})", () =>
            {
                code.Line("this.#connection = connection;");
                if (jobs is not null)
                {
                    code.Line($"this.{Jobs} = new {jobs.ClassName}({Jobs});");
                }
            });
            foreach (var operation in service.Operations)
            {
                code.Line();
                Write(new TypeScriptOperation(types, service, operation, OperationRequest.Of(operation, service.Types)));
            }
        });
        jobs?.Write(code, types);
    }

    private void Write(TypeScriptOperation operation)
    {
        code.Comment(operation.Documentation($"Calls {operation.Name}."));
        code.Block($"{operation.Method(_methods)}({operation.Arguments}options?: {(operation.IsStream ? "StreamOptions" : "CallOptions")}): {(operation.IsStream ? operation.Result : $"Promise<{operation.Result}>")}", () =>
            code.Line($"return this.#connection.{operation.Call}({{ {operation.Info} }}, {operation.Passed}, options);"));
    }
}
