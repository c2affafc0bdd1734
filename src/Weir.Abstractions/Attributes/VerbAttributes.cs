namespace Weir;

/// <summary>
/// A verb that an operation accepts, and the route at which it accepts it. On a class or a contract it is the default of the operations that name
/// no verb, and has no template.
/// </summary>
/// <remarks>
/// The template is that of ASP.NET Core routing (<c>"{id:int}/lines"</c>). It replaces the operation's name after the service's route; with
/// a leading slash it replaces the service's route, too. Each parameter of a template must be a parameter of the method that text can express, ignoring case;
/// a template that does not fit is a build error (WEIR1023). A path that a constraint refuses is 404, a value that does not bind 400.
/// </remarks>
public abstract class VerbAttribute : Attribute
{
    private protected VerbAttribute(string? template) => Template = template;

    /// <summary>The route template; <c>null</c>, the default, for the operation's name.</summary>
    public string? Template { get; }
}

/// <summary>
/// The operation reads only and is safe to repeat: it accepts GET and HEAD, and the other verbs named beside it. Without a verb
/// attribute an operation accepts POST only, so that no <c>&lt;img&gt;</c> tag can change data. A parameter that needs the
/// request's body is a build error (WEIR1001). On a class or a contract, a verb attribute is the default of the operations that name no verb.
/// </summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class GetAttribute : VerbAttribute
{
    /// <summary>GET at the operation's name.</summary>
    public GetAttribute()
        : base(null)
    {
    }

    /// <summary>GET at a route of its own.</summary>
    /// <param name="template">Relative to the service's route; with a leading slash to the prefix of <c>MapWeir</c>. Empty is the service's route itself.</param>
    public GetAttribute(string template)
        : base(template)
    {
    }
}

/// <summary>The operation accepts POST, and the other verbs named beside it. POST alone is the default of an operation without a verb attribute.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class PostAttribute : VerbAttribute
{
    /// <summary>POST at the operation's name.</summary>
    public PostAttribute()
        : base(null)
    {
    }

    /// <summary>POST at a route of its own.</summary>
    /// <param name="template">Relative to the service's route; with a leading slash to the prefix of <c>MapWeir</c>. Empty is the service's route itself.</param>
    public PostAttribute(string template)
        : base(template)
    {
    }
}

/// <summary>The operation accepts PUT, and the other verbs named beside it.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class PutAttribute : VerbAttribute
{
    /// <summary>PUT at the operation's name.</summary>
    public PutAttribute()
        : base(null)
    {
    }

    /// <summary>PUT at a route of its own.</summary>
    /// <param name="template">Relative to the service's route; with a leading slash to the prefix of <c>MapWeir</c>. Empty is the service's route itself.</param>
    public PutAttribute(string template)
        : base(template)
    {
    }
}

/// <summary>The operation accepts DELETE, and the other verbs named beside it.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class DeleteAttribute : VerbAttribute
{
    /// <summary>DELETE at the operation's name.</summary>
    public DeleteAttribute()
        : base(null)
    {
    }

    /// <summary>DELETE at a route of its own.</summary>
    /// <param name="template">Relative to the service's route; with a leading slash to the prefix of <c>MapWeir</c>. Empty is the service's route itself.</param>
    public DeleteAttribute(string template)
        : base(template)
    {
    }
}

/// <summary>The operation accepts PATCH, and the other verbs named beside it.</summary>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Class | AttributeTargets.Interface)]
public sealed class PatchAttribute : VerbAttribute
{
    /// <summary>PATCH at the operation's name.</summary>
    public PatchAttribute()
        : base(null)
    {
    }

    /// <summary>PATCH at a route of its own.</summary>
    /// <param name="template">Relative to the service's route; with a leading slash to the prefix of <c>MapWeir</c>. Empty is the service's route itself.</param>
    public PatchAttribute(string template)
        : base(template)
    {
    }
}
