namespace Weir;

/// <summary>
/// Makes a class, or an interface that a class implements, a service: its public methods become operations at
/// <c>/{Service}/{Operation}</c>, or at the routes that <see cref="Route"/> and the verb attributes name.
/// </summary>
/// <remarks>
/// The name is the class's, or the interface's without its leading <c>I</c>, unless <see cref="Name"/> is given.
/// Two services of one name, or two served classes for one interface, are a build error (WEIR1006, WEIR1007).
/// </remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Interface, Inherited = false)]
public sealed class ServiceAttribute : Attribute
{
    /// <summary>A service named after its type.</summary>
    public ServiceAttribute()
    {
    }

    /// <summary>A service with an explicit name.</summary>
    /// <param name="name">One path segment, compared without regard to case.</param>
    public ServiceAttribute(string name) => Name = name;

    /// <summary>
    /// A class that serves <paramref name="contract"/> without listing it among its bases: synchronous methods are
    /// matched to the contract's asynchronous ones by name and parameters.
    /// </summary>
    /// <param name="contract">An interface marked <see cref="ServiceAttribute"/>.</param>
    public ServiceAttribute(Type contract) => Contract = contract;

    /// <summary>The name in paths; <c>null</c> takes the type's name.</summary>
    public string? Name { get; }

    /// <summary>
    /// Whether the service is served over HTTP; default <c>true</c>. With <c>false</c>, on the class or on its contract, <c>MapWeir</c> leaves
    /// it out: it is called by injection only, and its workers run as those of any service. A verb attribute on it is a build error
    /// (WEIR1008), a policy a warning (WEIR1021).
    /// </summary>
    public bool Http { get; set; } = true;

    /// <summary>
    /// The route that the operations' paths start with, in place of the service's name; <c>null</c>, the default, for the name. A template of
    /// ASP.NET Core routing, slashes around it are ignored: <c>"/shops/{shop}/orders"</c>. Empty for operations directly below the prefix of <c>MapWeir</c>.
    /// Of a service with an interface it belongs on the interface (WEIR1008).
    /// </summary>
    public string? Route { get; set; }

    /// <summary>The interface this class serves without implementing it; <c>null</c> where the class lists it as a base.</summary>
    public Type? Contract { get; }
}
