namespace Weir.Generator.Model;

/// <summary>What the generator needs to know about the compilation as a whole.</summary>
/// <param name="AssemblyName">Its simple name.</param>
/// <param name="RunsServices">Whether it can run services: a contract assembly for .NET Framework only declares them.</param>
/// <param name="IsApplication">Whether it gets an <c>AddWeir</c>.</param>
/// <param name="RefusesAddWeir">Whether it is a library that gets an <c>AddWeir</c> which is an error where it is called.</param>
/// <param name="HasServer">Whether it references Weir.AspNetCore.</param>
/// <param name="HasWorker">Whether it references Weir.Worker, so that it can be its own worker.</param>
/// <param name="OwnExecutable">The property by which a worker is the application's own executable; <c>null</c> where it is another program.</param>
/// <param name="ReferencesIsolated">Whether something it references has isolated operations.</param>
/// <param name="Catalogs">The catalogs of everything it references, fully qualified.</param>
internal sealed record ApplicationModel(
    string AssemblyName,
    bool RunsServices,
    bool IsApplication,
    bool RefusesAddWeir,
    bool HasServer,
    bool HasWorker,
    string? OwnExecutable,
    bool ReferencesIsolated,
    EquatableArray<string> Catalogs)
{
    /// <summary>Whether it references a test framework.</summary>
    public bool IsTest { get; init; }

    /// <summary>The services of everything it references.</summary>
    public EquatableArray<ReferencedServiceModel> ReferencedServices { get; init; }

    /// <summary>The class that <c>[assembly: WeirJson]</c> names, fully qualified; <c>null</c> without one.</summary>
    public string? JsonContext { get; init; }

    /// <summary>Why that class cannot be used; <c>null</c> where it can.</summary>
    public string? JsonContextRefusal { get; init; }

    /// <summary>The namespace of the assembly's generated code.</summary>
    public string Namespace => Naming.AssemblyNamespace(AssemblyName);
}

/// <summary>The method that registers or builds a worker's services.</summary>
/// <param name="Method">Fully qualified.</param>
/// <param name="Registers">Whether it registers services; otherwise it builds their provider.</param>
internal sealed record WorkerServicesModel(string Method, bool Registers);
