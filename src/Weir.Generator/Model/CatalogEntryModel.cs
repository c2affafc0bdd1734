namespace Weir.Generator.Model;

/// <summary>What the catalog, and the checks between services, need to know about a service.</summary>
/// <param name="Name">In paths.</param>
/// <param name="TypeName">The class, for people.</param>
/// <param name="MetadataName">The class, for finding its symbol again.</param>
/// <param name="OperationsClass">The generated class of its operations.</param>
/// <param name="ProxyClass">The generated proxy.</param>
/// <param name="Contract">The interface the proxy implements.</param>
/// <param name="IsGeneratedContract">Whether the generator writes that interface.</param>
/// <param name="WorkerNeeds">What it needs in a worker that only services can supply; <c>null</c> for nothing.</param>
/// <param name="Pools">The pools that its operations run in.</param>
internal sealed record CatalogEntryModel(
    string Name,
    string TypeName,
    string MetadataName,
    string OperationsClass,
    string ProxyClass,
    string Contract,
    bool IsGeneratedContract,
    string? WorkerNeeds,
    EquatableArray<string> Pools)
{
    /// <summary>The isolated operations that exchange types which only the serializer knows.</summary>
    public EquatableArray<WorkerJsonModel> WorkerJson { get; init; }

    /// <summary>The operations whose calls can be jobs.</summary>
    public EquatableArray<JobEntryModel> Jobs { get; init; }

    /// <summary>What applications that reference the assembly read.</summary>
    public ReferencedServiceModel Reference => new(Name, TypeName, IsGeneratedContract ? "" : Contract.Replace("global::", ""));

    public static CatalogEntryModel Of(ServiceModel service)
    {
        var isolated = service.Operations.Where(static one => one.Placement == "Isolated").ToList();
        var taken = (isolated.Count > 0 ? service.Constructor : default)
            .Concat(isolated.SelectMany(static one => one.Taken).Where(static one => one.Service is not null).Select(static one => one.Service!))
            .FirstOrDefault(static one => one.Default is null);
        return new(
            service.Name, service.TypeName, service.MetadataName, service.OperationsClass, service.ProxyClass,
            service.Contract ?? service.Client!.Type, service.Contract is null, taken?.Type.Replace("global::", ""),
            isolated.Select(static one => one.Pool!).Distinct(StringComparer.OrdinalIgnoreCase).ToEquatableArray())
        {
            WorkerJson = isolated.Select(one => new WorkerJsonModel($"{service.Name}/{one.Name}", one.Method, one.Values.Where(static value => value.Kind == ValueKind.Serialized).Select(static value => value.Display.TrimEnd('?')).ToEquatableArray()))
                .Where(static one => one.Types.Count > 0).ToEquatableArray(),
            Jobs = service.Operations.Where(static one => one.Job is not null)
                .Select(one => new JobEntryModel($"{service.Name}/{one.Name}", one.Job!.Kind, one.Job.DeclaringType, (one.Contract?.Method ?? one.Method).TrimStart('@'))).ToEquatableArray(),
        };
    }
}

/// <summary>An isolated operation with types that only the serializer knows.</summary>
/// <param name="Operation">For people.</param>
/// <param name="Method">For finding its symbol again.</param>
/// <param name="Types">The types, as people write them.</param>
internal sealed record WorkerJsonModel(string Operation, string Method, EquatableArray<string> Types);

/// <summary>An operation whose calls can be jobs.</summary>
/// <param name="Operation">For people.</param>
/// <param name="Kind">The name of its kind.</param>
/// <param name="Type">The type whose method has the attribute, for finding its symbol again; <c>null</c> for one of another assembly.</param>
/// <param name="Method">The method.</param>
internal sealed record JobEntryModel(string Operation, string Kind, string? Type, string Method);
