using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Weir.Generated;
using Weir.Runtime;

namespace Weir.IntegrationTests.Services;

/// <summary>An application without a web server: this assembly's services, run as its options say.</summary>
internal sealed class Application : IAsyncDisposable
{
    private readonly ServiceProvider _services;

    internal Application(Action<WeirOptions>? configure = null, Action<IServiceCollection>? register = null, TimeSpan workerDelay = default)
    {
        var services = new ServiceCollection();
        register?.Invoke(services);
        services.AddWeirCatalogs(ApplicationCatalog.AssemblyName, ApplicationCatalog.Catalogs, options =>
        {
            TestPools.StartOnDemand(options);
            configure?.Invoke(options);
        });
        _services = services.BuildServiceProvider();
        Runtime = _services.GetRequiredService<WeirRuntime>();
        Runtime.Start(workerDelay);
    }

    internal WeirRuntime Runtime { get; }

    internal T Get<T>()
        where T : notnull => _services.GetRequiredService<T>();

    /// <summary>Binds JSON arguments as an entry point does, runs the operation, and gives the result as JSON.</summary>
    internal async Task<string> CallAsync(string path, string arguments = "{}", CallRequest request = default)
    {
        var call = Bind(path, arguments);
        await Runtime.Pipeline.RunAsync(call, request);
        using var output = new PayloadWriter();
        call.WriteResult(output, ResultEncoding.Json);
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    internal Task StreamAsync(string path, string arguments, IStreamPump pump, CallRequest request = default) =>
        Runtime.Pipeline.RunStreamAsync((StreamCall)Bind(path, arguments), pump, request).AsTask();

    public ValueTask DisposeAsync() => _services.DisposeAsync();

    private Call Bind(string path, string arguments)
    {
        var operation = _services.GetRequiredService<WeirCatalogs>().Services
            .SelectMany(static service => service.Operations)
            .Single(operation => operation.FullName == path);
        var call = operation.CreateCall(operation);
        var errors = new BindingErrorList();
        call.Bind(new JsonArgumentReader(Encoding.UTF8.GetBytes(arguments), "body", errors));
        errors.ThrowIfAny();
        return call;
    }
}
