using Npgsql;
using NpgsqlTypes;

namespace Weir.Jobs.PostgreSql.Connections;

/// <summary>Short ways to write statements with parameters by their positions, $1, $2 and so on.</summary>
internal static class Commands
{
    /// <summary>A statement of a batch.</summary>
    public static NpgsqlBatchCommand Add(this NpgsqlBatch batch, string sql)
    {
        var command = new NpgsqlBatchCommand(sql);
        batch.BatchCommands.Add(command);
        return command;
    }

    public static NpgsqlBatchCommand With<T>(this NpgsqlBatchCommand command, T value, NpgsqlDbType type)
    {
        command.Parameters.Add(new NpgsqlParameter<T> { TypedValue = value, NpgsqlDbType = type });
        return command;
    }

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, long value) => command.With(value, NpgsqlDbType.Bigint);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, int value) => command.With(value, NpgsqlDbType.Integer);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, bool value) => command.With(value, NpgsqlDbType.Boolean);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, Guid value) => command.With(value, NpgsqlDbType.Uuid);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, string value) => command.With(value, NpgsqlDbType.Text);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, Guid[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Uuid);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, Guid?[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Uuid);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, string?[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Text);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, long[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Bigint);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, long?[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Bigint);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, int[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Integer);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, int?[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Integer);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, short[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Smallint);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, bool[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Boolean);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, double?[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Double);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, ReadOnlyMemory<byte>?[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Bytea);

    public static NpgsqlBatchCommand With(this NpgsqlBatchCommand command, ReadOnlyMemory<byte>[] values) => command.With(values, NpgsqlDbType.Array | NpgsqlDbType.Bytea);
}
