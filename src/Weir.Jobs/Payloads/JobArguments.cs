using Weir.Runtime;

namespace Weir.Jobs.Payloads;

/// <summary>Makes stored arguments of calls, and calls of stored arguments: bound and validated as those of a direct call are. Any thread.</summary>
/// <param name="services">For validation attributes.</param>
internal sealed class JobArguments(IServiceProvider services)
{
    /// <summary>The most bytes of the arguments of a job, and of the jobs of one submission together.</summary>
    public const int Most = 16 * 1024 * 1024;

    [ThreadStatic]
    private static ArgumentWriter? _writer;

    /// <summary>The stored form of the arguments of a call.</summary>
    /// <exception cref="BindingException">They are not valid.</exception>
    /// <exception cref="PayloadTooLargeException">They are too large.</exception>
    public byte[] Write(Call call)
    {
        if (call.Operation.HasValidation)
        {
            var errors = new BindingErrorList();
            call.Validate(new ArgumentValidator(errors, services));
            errors.ThrowIfAny();
        }

        return WriteValid(call);
    }

    /// <summary>As <see cref="Write"/>, of arguments that are known to be valid.</summary>
    /// <exception cref="PayloadTooLargeException">They are too large.</exception>
    public static byte[] WriteValid(Call call)
    {
        var stored = StoredArguments.Write(call, _writer ??= new ArgumentWriter());
        return stored.Length <= Most
            ? stored
            : throw new PayloadTooLargeException(
                CallStatus.BadRequest, $"The arguments of {call.Operation} take {stored.Length} bytes; those of a job may have {Most}. Store them elsewhere, and pass where. See {WeirCodes.PayloadTooLarge}.");
    }

    /// <summary>A call of arguments that a person has written: a name that the operation does not have is an error, and no default.</summary>
    /// <param name="operation">Whose arguments they are.</param>
    /// <param name="stored">In their stored form.</param>
    /// <exception cref="BindingException">They do not fit the operation.</exception>
    public static Call Bind(Operation operation, ReadOnlyMemory<byte> stored)
    {
        var reader = new StoredArgumentReader(operation, stored, new BindingErrorList { RefuseUnknown = true });
        var call = operation.CreateCall(operation);
        call.Bind(reader);
        reader.Errors.ThrowIfAny();
        return call;
    }
}
