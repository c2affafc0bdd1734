using System.Text;
using Weir.Runtime;

namespace Weir.Generator.Tests.Driving;

/// <summary>Calls operations of a catalog as doors and workers do.</summary>
internal sealed class Served(ServiceCatalog catalog)
{
    public ServiceCatalog Catalog { get; } = catalog;

    /// <summary>Generates, compiles and loads source.</summary>
    public static Served From(params string[] sources) => new(Driver.Run(Driver.Library(sources)).LoadCatalog());

    public Operation Operation(string fullName) =>
        Catalog.Services.SelectMany(static service => service.Operations).Single(operation => operation.FullName == fullName);

    public Call Create(string fullName)
    {
        var operation = Operation(fullName);
        return operation.CreateCall(operation);
    }

    /// <summary>Binds the members of a JSON object.</summary>
    public Binding Json(string fullName, string json, bool refuseUnknown = false, JsonValueSerializer? serializer = null)
    {
        var call = Create(fullName);
        var errors = new BindingErrorList { RefuseUnknown = refuseUnknown, Serializer = serializer };
        call.Bind(new JsonArgumentReader(Encoding.UTF8.GetBytes(json), "body", errors));
        return new Binding(call, errors.ToArray());
    }

    /// <summary>Binds values as they stand in a query.</summary>
    public Binding Query(string fullName, params (string Name, string Text)[] values) => Read(fullName, [.. values.Select(static one => Argument.Text(one.Name, one.Text))]);

    /// <summary>Binds values from wherever they come.</summary>
    public Binding Read(string fullName, params Argument[] values)
    {
        var call = Create(fullName);
        var errors = new BindingErrorList();
        call.Bind(new ArgumentListReader(values, errors));
        return new Binding(call, errors.ToArray());
    }

    /// <summary>Runs a bound call on a fresh instance.</summary>
    public async Task<Call> Run(Binding binding, IServiceProvider? services = null)
    {
        services ??= NoServices.Instance;
        var call = binding.Call;
        call.Context = new OperationContext(call, services, CancellationToken.None);
        await call.InvokeAsync(call.Operation.Service.CreateInstance(services), CancellationToken.None);
        return call;
    }

    /// <summary>The result as JSON.</summary>
    public static string Result(Call call, ResultEncoding encoding = ResultEncoding.Json, JsonValueSerializer? serializer = null)
    {
        using var output = new PayloadWriter { Serializer = serializer, MayIndent = true };
        call.WriteResult(output, encoding);
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    /// <summary>What became of the result on its way through a worker: written, taken as bytes, decoded, written again.</summary>
    public string Travel(Call call)
    {
        var encoded = Result(call);
        var copy = call.Operation.CreateCall(call.Operation);
        copy.SetEncodedResult(Encoding.UTF8.GetBytes(encoded), ResultEncoding.Json);
        copy.Result = copy.Result;
        return Result(copy);
    }

    public async Task<string> Respond(string fullName, string json)
    {
        var binding = Json(fullName, json);
        return Result(await Run(binding.Good()));
    }
}

/// <summary>A call after binding.</summary>
internal sealed record Binding(Call Call, IReadOnlyList<BindingError> Errors)
{
    /// <summary>The values as they travel to a worker.</summary>
    public string Values
    {
        get
        {
            using var writer = new ArgumentWriter();
            Call.WriteArguments(writer);
            return Encoding.UTF8.GetString(writer.Values.WrittenSpan);
        }
    }

    /// <summary>The errors as <c>name: reason</c>.</summary>
    public IReadOnlyList<string> Reasons => [.. Errors.Select(static error => $"{error.Name}: {error.Reason}")];

    public Binding Good() => Errors.Count == 0 ? this : throw new InvalidOperationException(string.Join('\n', Errors));
}

/// <summary>No service at all.</summary>
internal sealed class NoServices : IServiceProvider
{
    public static NoServices Instance { get; } = new();

    public object? GetService(Type serviceType) => null;
}
