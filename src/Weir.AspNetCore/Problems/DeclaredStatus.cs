namespace Weir.AspNetCore.Problems;

/// <summary>The statuses that an operation declares for its exceptions by <c>[Throws]</c>, and an application by <c>MapException</c>.</summary>
internal static class DeclaredStatus
{
    /// <summary>The status for an exception of user code; <c>null</c> where none is declared, and for Weir's own exceptions.</summary>
    internal static int? Of(Operation operation, WeirServerOptions options, Exception error)
    {
        if (!ProblemMapping.IsOfUserCode(error))
        {
            return null;
        }

        // A worker's exception has its own type here only if it is declared.
        var name = error.GetType().FullName;
        foreach (var declared in operation.Throws)
        {
            if (declared.Status != 0 && declared.TypeName == name)
            {
                return declared.Status;
            }
        }

        return options.StatusOf(error);
    }

    /// <summary>The name of an exception that the operation declares, with or without a status; <c>null</c> for others.</summary>
    internal static string? NameOf(Operation operation, Exception error)
    {
        var name = operation.Throws.Count > 0 && ProblemMapping.IsOfUserCode(error) ? error.GetType().FullName : null;
        return name is not null && operation.Throws.Any(declared => declared.TypeName == name) ? name : null;
    }
}
