namespace Weir;

/// <summary>The HTTP verbs an operation answers.</summary>
[Flags]
public enum Verbs
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>GET, and HEAD with it: reads only.</summary>
    Get = 1,

    /// <summary>POST.</summary>
    Post = 2,

    /// <summary>PUT.</summary>
    Put = 4,

    /// <summary>DELETE.</summary>
    Delete = 8,

    /// <summary>PATCH.</summary>
    Patch = 16,
}
