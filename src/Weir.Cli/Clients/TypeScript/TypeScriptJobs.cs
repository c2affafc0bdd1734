using Weir.Cli.Contracts;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>Writes the class that submits calls of one service as jobs.</summary>
internal sealed class TypeScriptJobs
{
    private readonly ServiceContract _service;
    private readonly string _handles;
    private readonly string _operations;

    // What the class has besides a method for each operation.
    private readonly HashSet<string> _methods = new([.. TypeScriptOperation.OfEveryClass, "get"], StringComparer.Ordinal);

    /// <param name="service">The service.</param>
    /// <param name="names">The names of the file.</param>
    public TypeScriptJobs(ServiceContract service, TypeScriptNames names)
    {
        _service = service;
        var name = TypeScriptNames.Identifier(service.Name, isUpper: true);
        ClassName = names.Take(name + "Jobs");
        _handles = names.Take(name + "JobHandles");
        _operations = "operationsOf" + ClassName;
    }

    public string ClassName { get; }

    /// <summary>Writes it.</summary>
    public void Write(TypeScriptText code, TypeScriptTypes types)
    {
        var operations = _service.Operations.Where(static one => one.Job is not null)
            .Select(one => new TypeScriptOperation(types, _service, one, OperationRequest.Of(one, _service.Types, isUnsafe: true)))
            .Select(one => (Operation: one, Method: one.Method(_methods), Handle: one.IsStream ? $"WeirJobStream<{one.Item}>" : $"WeirJob<{one.Result}>")).ToList();
        code.Line();
        code.Comment($"The jobs of {_service.Name}, by the method that submits them.");
        code.Block($"export interface {_handles}", () => operations.ForEach(one => code.Line($"readonly {TypeScriptNames.Member(one.Method)}: {one.Handle};")));
        code.Line();
        code.Block($"const {_operations}: Readonly<Record<keyof {_handles}, JobOperation>> =", () =>
            operations.ForEach(one => code.Line($"{TypeScriptNames.Property(one.Method)}: {{ {one.Operation.Info}, read: {TypeScriptText.Quote(one.Operation.Call)} }},")), "};");
        code.Line();
        code.Comment($"Submits calls of {_service.Name} as jobs, which the service stores and runs without their caller.");
        code.Block($"export class {ClassName}", () =>
        {
            code.Line("readonly #jobs: JobConnection;");
            code.Line();
            code.Block("constructor(jobs: JobConnection)", () => code.Line("this.#jobs = jobs;"));
            code.Line();
            code.Comment("A job that was submitted before, also by another page. No request is sent.", "@param operation The method that submitted it.", "@param id The job's id.");
            code.Block($"get<Name extends keyof {_handles}>(operation: Name, id: string): {_handles}[Name]", () => code.Line($"return this.#jobs.get<{_handles}[Name]>({_operations}, operation, id);"));
            foreach (var (operation, method, handle) in operations)
            {
                code.Line();
                code.Comment(operation.Documentation($"Submits a call of {operation.Name}."));
                code.Block($"{method}({operation.Arguments}options?: WeirJobOptions): Promise<{handle}>", () =>
                    code.Line($"return this.#jobs.submit<{handle}>({_operations}.{method}, {operation.Passed}, options);"));
            }
        });
    }
}
