using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Transport;

/// <summary>Matches a worker's table of operations with the host's: by name and signature, never by position.</summary>
internal static class OperationNumbers
{
    /// <returns>What keeps the worker from serving this pool; <c>null</c> when nothing does.</returns>
    public static FailedStart? Match(PoolDefinition definition, Capabilities offered, ReadyPayload ready, int processId, out Dictionary<Operation, int> numbers)
    {
        numbers = new Dictionary<Operation, int>(definition.Operations.Count);
        if (ready.Version is < ProtocolVersion.Lowest or > ProtocolVersion.Highest)
        {
            return Failed(WeirCodes.WorkerStartFailed, $"It chose version {ready.Version} of the protocol; this host supports {ProtocolVersion.Lowest} to {ProtocolVersion.Highest}.");
        }

        if ((ready.Capabilities & ~offered) is var more && more != Capabilities.None)
        {
            return Failed(WeirCodes.WorkerStartFailed, $"It chose the capabilities {more}, which this host did not offer.");
        }

        if (definition.Options.Concurrency > 1 && (ready.Capabilities & Capabilities.Concurrent) == 0)
        {
            return Failed(WeirCodes.WorkerStartFailed, $"It runs one call at a time; set Concurrency of pool '{definition.Name}' (currently {definition.Options.Concurrency}) to 1.");
        }

        if (definition.SharedData is { } shared && (ready.Capabilities & Capabilities.SharedData) == 0)
        {
            return Failed(WeirCodes.WorkerStartFailed, $"It does not support shared data, but SharedData of pool '{definition.Name}' has {string.Join(", ", shared.Names)}. Remove it from the options, or update the worker.");
        }

        if (ready.MostPayload < definition.Options.PayloadLimitBytes)
        {
            return Failed(WeirCodes.WorkerStartFailed, $"It reads payloads of at most {ready.MostPayload} bytes; lower PayloadLimitBytes (currently {definition.Options.PayloadLimitBytes}).");
        }

        if (definition.CatalogIdentity.Length > 0 && ready.CatalogIdentity != definition.CatalogIdentity)
        {
            return Failed(WeirCodes.CatalogMismatch, $"It runs {ready.CatalogIdentity}, the host {definition.CatalogIdentity}: the application was rebuilt while the host was running. Restart the host.");
        }

        var table = new Dictionary<string, int>(ready.Operations.Count, StringComparer.OrdinalIgnoreCase);
        for (var i = 0; i < ready.Operations.Count; i++)
        {
            if (!table.TryAdd(ready.Operations[i].Name, i))
            {
                return Failed(WeirCodes.CatalogMismatch, $"It lists {ready.Operations[i].Name} twice.");
            }
        }

        foreach (var operation in definition.Operations)
        {
            if (!table.TryGetValue(operation.FullName, out var number))
            {
                return Failed(WeirCodes.CatalogMismatch, $"It does not serve {operation}.");
            }

            var signature = ready.Operations[number].SignatureHash;
            if (signature != 0 && operation.Signature != 0 && signature != operation.Signature)
            {
                return Failed(WeirCodes.CatalogMismatch, $"Its signature of {operation} differs from the host's in parameters or result. Deploy one build to both.");
            }

            if (operation.HasContent && !ready.Capabilities.HasFlag(Capabilities.Content))
            {
                return Failed(WeirCodes.CatalogMismatch, $"It does not support content, but {operation} takes or returns a Stream, PipeReader or file. Let the operation exchange ReadOnlyMemory<byte> instead, or update the worker.");
            }

            if (operation.StreamsRequest && !ready.Capabilities.HasFlag(Capabilities.RequestStreams))
            {
                return Failed(WeirCodes.CatalogMismatch, $"It does not support streamed requests, but {(operation.ItemsParameter ?? operation.ContentParameter)!.Name} of {operation} is one. Let the operation take a list instead, or serve it from .NET.");
            }

            numbers[operation] = number;
        }

        return null;

        FailedStart Failed(string code, string detail) => new(code, "match operations", detail, processId);
    }
}
